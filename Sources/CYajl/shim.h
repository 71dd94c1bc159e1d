#pragma once

#include <yajl/yajl_parse.h>
#include <yajl/yajl_version.h>

/// `yajl_config` is variadic, so Swift cannot call it.
static inline int feedcore_yajl_enable(yajl_handle handle, yajl_option option, int on) {
  return yajl_config(handle, option, on);
}
