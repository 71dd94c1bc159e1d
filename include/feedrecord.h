/*
 * feedrecord.h - the layout of FeedCore's records, blocks and index blocks. Blocks of flat records
 * and index blocks have version 2, blocks of documents version 3.
 *
 * This header is the specification: constants and byte offsets, no code to link against.
 * Examples/read_block.py is a reader in Python.
 *
 * All numbers are little-endian and may have any alignment. Load them byte by byte or with memcpy.
 * "u16" is an unsigned integer of 16 bits, and so on. A reader must check every offset against the
 * size of its block or record before it follows it.
 *
 *
 * BLOCK
 *
 * A block holds records of one layout, back to back:
 *
 *     header         FEEDRECORD_HEADER_SIZE bytes, see FEEDRECORD_HEADER_*
 *     field table    fieldCount entries of FEEDRECORD_FIELD_SIZE bytes, see FEEDRECORD_FIELD_*
 *     records        the records area begins here
 *     record starts  recordCount offsets relative to the records area, to the end of the block:
 *                    u16, or u32 if the block is wide
 *
 * A record begins at its start and ends where the next one starts. The last record ends where the
 * array of record starts begins. Starts ascend. The number of records is recordCount. The size of
 * the block is not stored in it: it is the size of the value in the store, or of the file.
 *
 * A block has at most FEEDRECORD_TARGET_SIZE bytes, unless it holds a single record that needs
 * more. A wide record always has a block of its own, with the flag FEEDRECORD_BLOCK_WIDE.
 *
 * A block of version 3 has the same layout. Its records are documents, see DOCUMENTS. A reader of
 * version 2 refuses it, because it does not know the field types of documents.
 *
 *
 * CHECKSUM
 *
 * The checksum is XXH3-64 over the bytes from FEEDRECORD_CHECKED_FROM to the end of the block. Its
 * seed is (position XOR the first eight bytes of the block as u64). It therefore covers every byte
 * except the checksum itself. The position is XXH3-64, seed 0, over the 20 bytes
 *
 *     u64 environment id | u64 segment | u32 block number
 *
 * A valid block at the wrong position therefore has a wrong checksum. Both kinds of block use it.
 *
 *
 * RECORD
 *
 *     bitmap         see below
 *     fixed fields   every field of fixed width in the order of the field table, always of its
 *                    full width, zero if absent
 *     end offsets    of every variable field but the last in the order of the field table,
 *                    relative to the variable bytes: u8 if the record is short, u16, or u32
 *                    if the block is wide
 *     variable bytes of all variable fields, in the order of the field table
 *
 * The first variable field begins at 0 of the variable bytes. Every other one begins where the
 * previous one ends. The last one ends with the record. An absent variable field is empty: it
 * repeats the previous end. A record without variable fields ends with its fixed fields. A record
 * is short exactly if its variable bytes are at most FEEDRECORD_SHORT_MAX; lists count with offsets
 * of 16 bits. It is wide exactly if they are more than FEEDRECORD_NARROW_MAX.
 *
 * The size of a record shows whether it is short. Outside a wide block, a record is short exactly
 * if its size is at most the sum of bitmap, fixed fields, end offsets of 8 bits and
 * FEEDRECORD_SHORT_MAX. In blocks of version 1 no record is short.
 *
 * The bitmap has one bit per field, in the order of the field table: 1 if the field is present.
 * Then follows one bit for each optional field, in the same order: 1 if it is an explicit null. Bit
 * n is bit (n mod 8), the lowest being 0, of byte (n div 8). The bitmap is rounded up to bytes;
 * unused bits are 0. A field that is neither present nor null is absent.
 *
 *
 * FIELD TYPES
 *
 * The high nibble of a type is its width class, see feedrecord_width. A reader skips a field of an
 * unknown type by its width. A field id is never reused for another field. A reader skips unknown
 * ids, and treats missing ids as absent.
 *
 *     text      UTF-8, without terminator
 *     textList  count, of the width of the record's end offsets, then the end offsets of all
 *               elements but the last, of the same width and relative to the element bytes, then
 *               the element bytes (UTF-8). The last element ends with the field. An empty list
 *               is its count.
 *     boolean   one byte, 0 or 1
 *     integer   signed, two's complement
 *     number    IEEE 754 binary64
 *     date      IEEE 754 binary64: seconds since 2001-01-01T00:00:00Z
 *     uuid      16 bytes in the order of its text
 *     json      one JSON value (RFC 8259) in UTF-8, without white space between its tokens
 *     span      u16 offset and u16 length of a text in the variable bytes of the record, or twice
 *               FEEDRECORD_FAR
 *
 *
 * DOCUMENTS
 *
 * A document keeps its JSON text. The fields of a block of documents are, in the order of the field
 * table:
 *
 *     spans     any number, all optional, with ids of 1 to FEEDRECORD_ID_LAST_SPAN: the key, parts
 *               of the key and indexed values
 *     text      FEEDRECORD_ID_DECODED: bytes to which spans refer and which are not in the text
 *     text      FEEDRECORD_ID_MEMBER, only if each record is the value of a member of an object:
 *               the key of the member, as it is written between its quotes
 *     json      FEEDRECORD_ID_RECORD: the text, always the last field
 *
 * A span refers to a scalar: a string without its quotes, a number, true or false. If a string has
 * escapes, its characters are among the decoded bytes. A number that has a fraction or an exponent
 * is there as its shortest decimal. The parts of a composed key are there too, joined by the byte
 * 0x1F. Records with a long text have copies of all spans there. A span of a null value has its
 * null bit set. A path that the record does not have is absent. A span of FEEDRECORD_FAR and
 * FEEDRECORD_FAR is present, but only the text has its value: an object, an array, or a scalar that
 * no span can reach. The schema of the feed has the path of each span, and names the key.
 *
 * The schema id of a block of documents is FEEDRECORD_SCHEMA_DOCUMENT.
 *
 *
 * INDEX BLOCK
 *
 * An index block is a part of a sorted index. The index maps the hash of a record's key to the
 * ordinal of the record in its segment. The hash is the upper 32 bits of XXH3-64 with seed 0:
 *
 *     header         FEEDRECORD_HEADER_SIZE bytes, see FEEDRECORD_INDEX_*
 *     hashes         count of u32, ascending; equal ones may be adjacent
 *     ordinals       count of u32, in the same order, to the end of the block
 *
 * Different keys may have the same hash, so a reader compares the key in the record. In blocks of
 * version 1 the hashes, lower and upper have all 64 bits.
 *
 * lower is the last hash of the previous block, upper the first hash of the next block. A flag for
 * each states whether it exists. A hash that is strictly between them and not in this block is not
 * in the index. Equal hashes may continue in the next block.
 */
#ifndef FEEDRECORD_H
#define FEEDRECORD_H

#define FEEDRECORD_VERSION 2                 /* of blocks of flat records */
#define FEEDRECORD_VERSION_DOCUMENT 3        /* of blocks of documents */

/* Both kinds of block. */
#define FEEDRECORD_HEADER_SIZE 40
#define FEEDRECORD_TARGET_SIZE 65520 /* 16 pages of 4096 bytes less LMDB's page header of 16 */
#define FEEDRECORD_CHECKED_FROM 16

/* The header of a block of records: byte offsets. */
#define FEEDRECORD_MAGIC 0x31424346u         /* "FCB1" */
#define FEEDRECORD_HEADER_MAGIC 0            /* u32 */
#define FEEDRECORD_HEADER_VERSION 4          /* u16, FEEDRECORD_VERSION */
#define FEEDRECORD_HEADER_FIELD_COUNT 6      /* u16, at most FEEDRECORD_MAX_FIELDS */
#define FEEDRECORD_HEADER_CHECKSUM 8         /* u64 */
#define FEEDRECORD_HEADER_FIRST_ORDINAL 16   /* u64, ordinal of its first record in the segment */
#define FEEDRECORD_HEADER_NUMBER 24          /* u32, position among the blocks of its segment */
#define FEEDRECORD_HEADER_RECORD_COUNT 28    /* u32 */
#define FEEDRECORD_HEADER_SCHEMA_ID 32       /* u32 */
#define FEEDRECORD_HEADER_FLAGS 36           /* u16, FEEDRECORD_BLOCK_*; other bits are 0 */
#define FEEDRECORD_HEADER_RESERVED 38        /* u16, 0 */

#define FEEDRECORD_BLOCK_WIDE 1              /* offsets of 32 bits */

/* An entry of the field table: byte offsets. */
#define FEEDRECORD_MAX_FIELDS 256
#define FEEDRECORD_FIELD_SIZE 4
#define FEEDRECORD_FIELD_ID 0                /* u16 */
#define FEEDRECORD_FIELD_TYPE 2              /* u8, FEEDRECORD_TYPE_* */
#define FEEDRECORD_FIELD_FLAGS 3             /* u8, FEEDRECORD_FIELD_*; other bits are 0 */

#define FEEDRECORD_FIELD_OPTIONAL 1          /* has a null bit */

/* Field types. */
#define FEEDRECORD_TYPE_TEXT 0x01
#define FEEDRECORD_TYPE_TEXT_LIST 0x02
#define FEEDRECORD_TYPE_JSON 0x03
#define FEEDRECORD_TYPE_BOOLEAN 0x11
#define FEEDRECORD_TYPE_SPAN 0x41
#define FEEDRECORD_TYPE_INTEGER 0x81
#define FEEDRECORD_TYPE_NUMBER 0x82
#define FEEDRECORD_TYPE_DATE 0x83
#define FEEDRECORD_TYPE_UUID 0xF1

/* Documents. */
#define FEEDRECORD_SCHEMA_DOCUMENT 64
#define FEEDRECORD_ID_LAST_SPAN 0xFFFC
#define FEEDRECORD_ID_MEMBER 0xFFFD
#define FEEDRECORD_ID_DECODED 0xFFFE
#define FEEDRECORD_ID_RECORD 0xFFFF
#define FEEDRECORD_FAR 0xFFFF                /* offset and length of a span out of reach */

#define FEEDRECORD_SHORT_MAX 255             /* variable bytes of a short record */
#define FEEDRECORD_NARROW_MAX 65535          /* variable bytes of a record that is not wide */

/* The header of an index block: byte offsets. */
#define FEEDRECORD_INDEX_MAGIC 0x31494346u   /* "FCI1" */
#define FEEDRECORD_INDEX_VERSION 2
#define FEEDRECORD_INDEX_HEADER_MAGIC 0      /* u32 */
#define FEEDRECORD_INDEX_HEADER_VERSION 4    /* u16, FEEDRECORD_INDEX_VERSION */
#define FEEDRECORD_INDEX_HEADER_FLAGS 6      /* u16, FEEDRECORD_INDEX_HAS_*; other bits are 0 */
#define FEEDRECORD_INDEX_HEADER_CHECKSUM 8   /* u64 */
#define FEEDRECORD_INDEX_HEADER_NUMBER 16    /* u32, position among the blocks of its index */
#define FEEDRECORD_INDEX_HEADER_COUNT 20     /* u32, pairs */
#define FEEDRECORD_INDEX_HEADER_LOWER 24     /* u64, a hash, 0 if there is none */
#define FEEDRECORD_INDEX_HEADER_UPPER 32     /* u64, a hash, 0 if there is none */

#define FEEDRECORD_INDEX_HAS_LOWER 1
#define FEEDRECORD_INDEX_HAS_UPPER 2

#define FEEDRECORD_INDEX_PAIR_SIZE 8         /* a u32 hash and a u32 ordinal */
#define FEEDRECORD_INDEX_PAIR_SIZE_V1 12     /* a u64 hash and a u32 ordinal */

/* The number of bytes of a field of this type in the fixed part of a record. 0 if it is variable,
 * -1 if no version has such a width class. */
static inline int feedrecord_width(unsigned char type) {
  switch (type >> 4) {
  case 0x0: return 0;
  case 0x1: return 1;
  case 0x4: return 4;
  case 0x8: return 8;
  case 0xF: return 16;
  default: return -1;
  }
}

#endif
