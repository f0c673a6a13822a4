// Package arch holds no code, only tests: what docs/architecture.md promises
// about the packages of this module and what they import.
package arch
