/** One connection of a user. */
export interface Wire {
  /** Whether it takes no further request now. */
  readonly full: boolean;
  readonly closed: boolean;
  /** `answered` gets the status; 0: the request or its connection broke off. The function that it gives gives the request up. */
  send(call: WireCall, answered: (code: number) => void): () => void;
  close(): void;
}

export interface WireCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Buffer;
}
