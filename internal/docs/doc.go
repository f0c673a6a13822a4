// Package docs holds the tests that keep docs/model.md true: the functions that
// the page names exist, and every cost, handler and figure of the code is on
// it, and that citations of documents lead somewhere. It has no code of its
// own.
package docs
