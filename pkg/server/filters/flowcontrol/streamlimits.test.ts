import { expect, test } from '@jest/globals';
import { ExchangeEnd } from '../../exchangeend.js';
import { StreamLimits, type Session } from './streamlimits.js';

function world() {
  let ms = 0;
  const limits = new StreamLimits(100, () => ms);
  /** A client that acknowledges its settings when `acknowledge` is called. */
  const connect = () => {
    const limitsSent: (number | undefined)[] = [];
    const acknowledgements: (() => void)[] = [];
    const session: { -readonly [Key in keyof Session]: Session[Key] } = {
      closed: false,
      destroyed: false,
      settings(settings, callback) {
        limitsSent.push(settings.maxConcurrentStreams);
        acknowledgements.push(() => callback?.(null, settings, 0));
      },
    };
    const acknowledge = (): void => acknowledgements.splice(0).forEach((call) => call());
    return { session, limitsSent, acknowledge };
  };
  const pass = (time: number): void => {
    ms += time;
    limits.check();
  };
  return { limits, connect, pass };
}

test('lowers the stream limit of busy connections while many requests wait, and restores it afterwards', () => {
  const { limits, connect, pass } = world();
  const all = Array.from({ length: 10 }, connect);
  const idle = connect();
  for (const { session } of all) limits.waits(session, 200);
  pass(50);
  pass(50);
  for (const { limitsSent, acknowledge } of all) {
    expect(limitsSent).toEqual([40]);
    acknowledge();
  }
  for (const { session } of all) limits.waits(session, 100);
  pass(950);
  for (const { session } of all) limits.waits(session, 99);
  expect(all[0]?.limitsSent).toEqual([40]);
  pass(50);
  for (const { limitsSent } of all) expect(limitsSent).toEqual([40, 100]);
  expect(idle.limitsSent).toEqual([]);
});

test('keeps the stream limit while few requests wait', () => {
  const { limits, connect, pass } = world();
  const { session, limitsSent } = connect();
  limits.waits(session, 199);
  pass(50);
  expect(limitsSent).toEqual([]);
});

test('leaves a few streams to each of many connections', () => {
  const { limits, connect, pass } = world();
  const all = Array.from({ length: 1000 }, connect);
  for (const { session } of all) limits.waits(session, 1000);
  pass(50);
  for (const { limitsSent } of all) expect(limitsSent).toEqual([8]);
});

test('adds the streams of watches to the limit', () => {
  const { limits, connect, pass } = world();
  const { session, limitsSent, acknowledge } = connect();
  const others = Array.from({ length: 39 }, connect);
  const ends = Array.from({ length: 30 }, () => new ExchangeEnd(() => undefined));
  for (const end of ends) limits.lasts(session, end);
  for (const one of [session, ...others.map((other) => other.session)]) limits.waits(one, 500);
  pass(50);
  expect(limitsSent).toEqual([40]);
  acknowledge();
  ends.slice(10).forEach((end) => end.finish());
  limits.waits(session, 500);
  pass(50);
  expect(limitsSent).toEqual([40, 20]);
});

test('sends no new limit before the client has acknowledged the last, and none to a closed connection', () => {
  const { limits, connect, pass } = world();
  const [silent, gone] = [connect(), connect()];
  for (const { session } of [silent, gone]) for (let at = 0; at < 9; at += 1) limits.waits(session, 500);
  for (const { session } of Array.from({ length: 8 }, connect)) limits.waits(session, 500);
  gone.session.destroyed = true;
  pass(50);
  for (let at = 0; at < 100; at += 1) pass(1_000);
  expect(silent.limitsSent).toEqual([40]);
  expect(gone.limitsSent).toEqual([]);
  silent.acknowledge();
  pass(1_000);
  expect(silent.limitsSent).toEqual([40, 100]);
});
