// Package docs has only tests. They check that the functions which docs/model.md
// names exist, that every cost, handler and figure of the code is on that page,
// and that citations of documents lead to headings.
package docs
