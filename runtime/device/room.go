package device

import "errors"

// makeRoom frees the least recently used recording, and reports whether there was one. It runs in a call.
func (d *Device) makeRoom() (bool, error) {
	var oldest *recording
	for r := range d.recordings {
		if oldest == nil || r.used < oldest.used {
			oldest = r
		}
	}
	if oldest == nil {
		return false, nil
	}
	return true, oldest.drop()
}

// fitting retries make, which may return a RoomError, while there are recordings to free. It runs in a call.
func (d *Device) fitting(make func() error) error {
	for {
		err := make()
		var room *RoomError
		if !errors.As(err, &room) {
			return err
		}
		spare := room.Free
		for r := range d.recordings {
			spare += r.memory.bytes
		}
		if spare < room.Bytes { // too small even without them
			return err
		}
		freed, failed := d.makeRoom()
		if failed != nil || !freed {
			return errors.Join(err, failed)
		}
	}
}
