// What a program runs, by the function coverage of its V8.
import { once } from 'node:events';
import WebSocket from 'ws';

/** The files of this project, as its compiled paths name them: `pkg/server/handler.js`. */
const OWN = /^file:.*\/dist\/((?:api|cmd|pkg)\/.*)$/;

/**
 * Follows the program that debuggers reach at `address` (`ws://…`). Each `take` returns the calls of each function since the one before,
 * by `FILE FUNCTION OFFSET`.
 */
export async function followCoverage(address) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map();
  socket.on('message', (text) => {
    const { id, result } = JSON.parse(text);
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let last = 0;
  const call = (method, params = {}) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await call('Profiler.enable');
  await call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async take() {
      const { result } = await call('Profiler.takePreciseCoverage');
      return new Map(result.flatMap(callsIn));
    },
    close: () => socket.close(),
  };
}

function callsIn({ url, functions }) {
  const [, file] = OWN.exec(url) ?? [];
  if (file === undefined) return [];
  return functions
    .map(({ functionName, ranges: [{ startOffset, count }] }) => [
      `${file} ${functionName} ${startOffset}`,
      count,
    ])
    .filter(([, count]) => count > 0);
}
