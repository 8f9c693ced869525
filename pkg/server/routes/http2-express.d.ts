declare module 'http2-express' {
  import type express from 'express';
  /** An Express application that takes HTTP/2 requests too. */
  const http2Express: (factory: typeof express) => express.Express;
  export = http2Express;
}
