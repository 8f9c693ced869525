/**
 * Calls `next` with a value: at once if it is there, as what every request passes takes no turn of the event loop for it, else when
 * its promise resolves. Throws what `next` throws at once.
 */
export function onceKnown<A, B>(given: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return given instanceof Promise ? given.then(next) : next(given);
}
