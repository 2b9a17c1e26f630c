//! Languages inside Puppet's text: regular expressions, JSON, Base64.
