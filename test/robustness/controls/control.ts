/** Builds that are broken on purpose: what the judges must find. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import type { JudgeName } from '../history/history.js';
import type { EngineName } from '../systems/systems.js';

export interface Control {
  /** What the broken server does. */
  readonly name: string;
  /** A source file, and a part of it that stands there once. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
  /** The judge that must find it; of several, any. */
  readonly found: readonly JudgeName[];
  readonly engine: EngineName;
  /** The kinds of faults that it takes; absent: none. */
  readonly faults?: RegExp;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The file with its part replaced.
 * @throws Error where the text is not in the file, or more than once: the control is to be written anew.
 */
export function brokenSource({ name, file, text, replacement }: Control): string {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(text);
  if (parts.length === 2) return parts.join(replacement);
  throw new Error(`the control '${name}' replaces a text that is ${parts.length - 1} times in ${file}`);
}

/** Makes a build in which one file is another; answers its folder. It is within the project, where its packages are found. */
export function brokenBuild(control: Control, folder: string): string {
  const source = brokenSource(control);
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dirname(dist), { recursive: true });
  execFileSync('cp', ['-a', join(ROOT, 'dist'), dist]);
  const { code } = transformSync(source, {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  writeFileSync(join(dist, control.file.replace(/\.ts$/, '.js')), code);
  return dist;
}
