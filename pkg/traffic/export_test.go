package traffic

import "dvmtools/pkg/comm"

// Closed reports whether t is worked out as a product of dimensions.
func Closed(t comm.Traffic) bool {
	switch x := t.(type) {
	case *exchange:
		return x.closed != nil
	case *halo:
		return x.frame.box
	}
	return false
}
