#!/bin/sh
# The classifier of the recorded nodes.
case "$1" in
  other*.example) printf 'environment: other\nclasses: {}\n' ;;
  enc.example) printf 'parameters:\n  flavour: sweet\n' ;;
  encclass.example) printf 'classes:\n  demo:\n    greeting: classified\n' ;;
  encfail.example) echo 'oh no' >&2; exit 3 ;;
  slow.example) sleep 2; printf 'classes: {}\n' ;;
  encnone.example) : ;;
  encbad.example) echo 'classes: [' ;;
  encgone.example) printf 'environment: nosuch\n' ;;
  *) printf 'classes: {}\n' ;;
esac
