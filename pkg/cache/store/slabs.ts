/**
 * Memory for record bytes: a few large slabs instead of one allocation each.
 *
 * A byte of a slab is written once and never again, so a view that was handed out stays as it is however long its
 * reader takes. Room comes back by moving: a slab of which less than half is still in use has what remains copied
 * into the newest one and is left to the garbage collector, which keeps it while views of it live.
 */

const SLAB_BYTES = 1 << 20;
/** Larger records stand alone, so that no slab ends with much unused. */
const ALONE_BYTES = SLAB_BYTES >> 3;

/** Where one record's bytes are. Moves; read {@link viewOf} anew for each use. */
export interface Place {
  slab: Slab;
  offset: number;
  readonly length: number;
  released: boolean;
}

export interface Slab {
  readonly memory: Buffer;
  used: number;
  live: number;
  places: Place[];
}

export interface Slabs {
  /** Copies `bytes` in. */
  store(bytes: Buffer): Place;
  /** Gives the room back. Views of it, and the place itself, stay readable. At most once for a place. */
  release(place: Place): void;
  /** Bytes allocated for what is in use or may still be filled. */
  allocated(): number;
  /** Bytes in use. */
  live(): number;
}

export function viewOf(place: Place): Buffer {
  const { memory } = place.slab;
  return place.offset === 0 && place.length === memory.length
    ? memory
    : memory.subarray(place.offset, place.offset + place.length);
}

export function createSlabs(): Slabs {
  let current = newSlab(Buffer.allocUnsafeSlow(SLAB_BYTES));
  let allocated = SLAB_BYTES;
  let live = 0;

  function append(place: Place, bytes: Buffer): void {
    if (current.used + place.length > SLAB_BYTES) {
      const full = current;
      current = newSlab(Buffer.allocUnsafeSlow(SLAB_BYTES));
      allocated += SLAB_BYTES;
      compactIfSparse(full);
    }
    bytes.copy(current.memory, current.used);
    place.slab = current;
    place.offset = current.used;
    current.used += place.length;
    current.live += place.length;
    current.places.push(place);
  }

  /** `current` is never sparse enough to move: it is still being filled. */
  function compactIfSparse(slab: Slab): void {
    if (slab === current || slab.live * 2 >= slab.memory.length) return;
    const { places } = slab;
    slab.places = [];
    allocated -= slab.memory.length;
    for (const place of places) if (!place.released) append(place, viewOf(place));
  }

  return {
    store(bytes) {
      live += bytes.length;
      if (bytes.length < ALONE_BYTES) {
        const place: Place = { slab: current, offset: 0, length: bytes.length, released: false };
        append(place, bytes);
        return place;
      }
      allocated += bytes.length;
      const slab = newSlab(Buffer.allocUnsafeSlow(bytes.length));
      bytes.copy(slab.memory);
      slab.live = slab.used = bytes.length;
      return { slab, offset: 0, length: bytes.length, released: false };
    },
    release(place) {
      place.released = true;
      live -= place.length;
      const { slab } = place;
      slab.live -= place.length;
      if (slab.places.length > 0) compactIfSparse(slab);
      else allocated -= place.length;
    },
    allocated: () => allocated,
    live: () => live,
  };
}

function newSlab(memory: Buffer): Slab {
  return { memory, used: 0, live: 0, places: [] };
}
