/** Numbered requests to another process until they are answered. */
export class Pending<Answer> {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private last = 0;

  /** Sends a request with a new number; resolves with the argument of {@link answer} for it. */
  ask(send: (id: number) => void): Promise<Answer> {
    return new Promise((resolve) => {
      const id = (this.last += 1);
      this.waiting.set(id, resolve);
      send(id);
    });
  }

  answer(id: number, answer: Answer): void {
    this.waiting.get(id)?.(answer);
    this.waiting.delete(id);
  }
}
