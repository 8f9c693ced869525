/**
 * `/statusz` and `/flagz`, in which a process describes itself (`k8s.io/apiserver/pkg/server/{statusz,flagz}` of 1.37.2):
 * text for people, and documents of `config.k8s.io` for clients that name one.
 */
import type { Express, Request, Response } from 'express';
import { SERVER_VERSION, versionInfo } from '../version.js';
import { encodeAs, encodingOf } from './documentencoding.js';
import { readable, sendDocument } from './routes.js';
import { negotiatePage, type Page } from './zpagenegotiation.js';

export const ZPAGES = ['/flagz', '/statusz'];

/** Flags by name, without dashes, with their values as text. They must hold no secrets. */
export type FlagTexts = Readonly<Record<string, string>>;

const NAME = 'management-apiserver';
const WARNING =
  'This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
/** Clients do not debug with these. */
const NO_DEBUGGING = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known']);

/** `paths`: those that `/` lists. */
export function routeZpages(app: Express, paths: readonly string[], flags: FlagTexts): void {
  const folders = new Set(paths.map((path) => `/${path.split('/')[1] ?? ''}`));
  const shown = [...folders].filter((folder) => !NO_DEBUGGING.has(folder)).sort();
  serve(app, { name: 'statusz', kind: 'Statusz' }, () => status(shown), statusText);
  serve(app, { name: 'flagz', kind: 'Flagz' }, () => ({ flags }), flagsText);
}

function serve<T extends object>(
  app: Express,
  page: Page,
  contentOf: () => T,
  textOf: (content: T) => string,
): void {
  readable(app, `/${page.name}`, (request, response) => {
    const content = contentOf();
    const asked = negotiatePage(request.headers.accept, page.kind);
    if (asked !== undefined) return sendStructured(request, response, page, asked, content);
    const text = `\n${NAME} ${page.name}\nWarning: ${WARNING}\n${textOf(content)}`;
    sendDocument(response, 'text/plain; charset=utf-8', Buffer.from(text));
  });
}

function sendStructured(
  request: Request,
  response: Response,
  { name, kind }: Page,
  { mediaType, version, pretty, contentType }: NonNullable<ReturnType<typeof negotiatePage>>,
  content: object,
): void {
  if (version === 'v1alpha1')
    response.setHeader(
      'Warning',
      `299 - "This version of the ${name} endpoint is deprecated. Please use a newer version."`,
    );
  const document = { kind, apiVersion: `config.k8s.io/${version}`, metadata: { name: NAME }, ...content };
  sendDocument(response, contentType, encodeAs(document, encodingOf(request, mediaType, pretty)));
}

interface Status {
  /** RFC 3339, in whole seconds. */
  readonly startTime: string;
  readonly uptimeSeconds: number;
  /** Required; empty as in `/version`. */
  readonly goVersion: '';
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  readonly paths: readonly string[];
}

function status(paths: readonly string[]): Status {
  const { emulationMajor, emulationMinor } = versionInfo();
  return {
    startTime: new Date(performance.timeOrigin).toISOString().replace(/\.\d+/, ''),
    uptimeSeconds: Math.floor(performance.now() / 1000),
    goVersion: '',
    binaryVersion: SERVER_VERSION,
    emulationVersion: `${emulationMajor}.${emulationMinor}`,
    paths,
  };
}

function statusText({ startTime, uptimeSeconds, binaryVersion, emulationVersion, paths }: Status): string {
  const [hours, ...rest] = [uptimeSeconds / 3600, (uptimeSeconds / 60) % 60, uptimeSeconds % 60].map(
    Math.floor,
  );
  const [minutes, seconds] = rest.map((part) => String(part).padStart(2, '0'));
  return `
Started: ${startTime}
Up: ${hours} hr ${minutes} min ${seconds} sec
Node version: ${process.versions.node}
Binary version: ${binaryVersion}
Emulation version: ${emulationVersion}
Paths: ${paths.join(' ')}
`;
}

const flagsText = ({ flags }: { readonly flags: FlagTexts }): string =>
  Object.entries(flags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
