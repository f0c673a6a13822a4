// Package arch has only tests. They check what docs/architecture.md promises about
// the packages of this module and their imports.
package arch
