# Shared by scripts/test-cluster, test-http, test-release and test-resp: Python environments.
# Sourced after setup.sh, with $root set; never run.
: "${root:?}"

# Creates a Python environment in $environment, by default .build-clients, with the packages of the
# given requirements files. Sets $python to its interpreter.
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
