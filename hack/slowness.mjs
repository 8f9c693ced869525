// How slow this machine is, for the time that tests give to conditions: 1 for the machine on which their budget was set.
//   node hack/slowness.mjs      prints it
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** Rounds of the loop in a millisecond, on an idle core of that machine. */
const REFERENCE_RATE = 120_000;
const MEASURED_MS = 300;
const ROUNDS = 10_000;
/** A start of Node there, in ms: memory, files and processes may be slow where a loop is fast. */
const REFERENCE_START_MS = 45;
const STARTS = 7;
/**
 * Each page of so many bytes is touched once more, which takes 0.03 us there. Where the memory of a virtual machine is in pieces it
 * takes 40, and all suites four times as long.
 */
const TOUCHED_BYTES = 128 * 2 ** 20;
const PAGE_BYTES = 4096;
const US_PER_SLOWNESS = 13;
const MAX_SLOWNESS = 10;

function loop() {
  let hash = 0;
  for (let round = 0; round < ROUNDS; round += 1) hash = (Math.imul(hash, 31) + Math.sqrt(round)) | 0;
  return hash;
}

function loopSlowness() {
  let rounds = 0;
  const until = performance.now() + MEASURED_MS;
  for (; performance.now() < until; rounds += ROUNDS) loop();
  return REFERENCE_RATE / (rounds / MEASURED_MS);
}

function startSlowness() {
  const times = Array.from({ length: STARTS }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['--eval', '0']);
    return performance.now() - began;
  });
  return times.sort((one, other) => one - other)[Math.floor(STARTS / 2)] / REFERENCE_START_MS;
}

function memorySlowness() {
  const memory = Buffer.alloc(TOUCHED_BYTES);
  const touch = () => {
    for (let at = 0; at < TOUCHED_BYTES; at += PAGE_BYTES) memory[at] += 1;
  };
  touch();
  const began = performance.now();
  touch();
  const us = (1000 * (performance.now() - began)) / (TOUCHED_BYTES / PAGE_BYTES);
  return 1 + us / US_PER_SLOWNESS;
}

/** What is left of a core for one more process now, against an idle one of the reference: from 1 to 10. */
export function slownessOfMachine() {
  const slowness = Math.max(loopSlowness(), startSlowness(), memorySlowness());
  return Math.min(MAX_SLOWNESS, Math.max(1, Math.round(10 * slowness) / 10));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(slownessOfMachine());
