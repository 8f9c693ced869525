import { Failure } from '../failure.js';

const MAX_TRIES = 5;

/** Does it again while somebody else's write came between, four times at most. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const lost = error instanceof Failure && error.reason === 'conflict';
      if (!lost || tries === MAX_TRIES) throw error;
    }
  }
}
