/** Frames that leave together, as one buffer. Under load many watches of a kind send the same ones one after the other. */

/** Of one slice of a watch: bounded as that is. */
let last: { readonly frames: readonly Buffer[]; readonly joined: Buffer } | undefined;

/** `frames` joined: the buffer of the call before where they are the same. Never change it. `size`: of all. */
export function joinedFrames(frames: readonly Buffer[], size: number): Buffer {
  if (last === undefined || !isSame(last.frames, frames))
    last = { frames, joined: Buffer.concat(frames, size) };
  return last.joined;
}

const isSame = (one: readonly Buffer[], other: readonly Buffer[]): boolean =>
  one.length === other.length && one.every((frame, at) => frame === other[at]);
