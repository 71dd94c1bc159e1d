# What scripts/test-resp, scripts/test-http and scripts/test-release share: environments of Python.
# Sourced after setup.sh, with $root set; never run.
: "${root:?}"

# Makes an environment of Python in $environment, by default .build-clients, with the packages of some
# files, and names its interpreter in $python.
install_python_packages() {
  local environment=${environment:-$root/.build-clients} file
  python=$environment/bin/python
  install_programs python3:python3:python
  [[ -x $python ]] || python3 -m venv "$environment" 2>/dev/null || {
    install_programs -:python3-venv:-
    python3 -m venv "$environment"
  }
  for file in "$@"; do
    "$python" -m pip install --quiet --disable-pip-version-check --requirement "$file" >&2 ||
      fail 69 "the Python packages could not be installed, see above."
  done
}
