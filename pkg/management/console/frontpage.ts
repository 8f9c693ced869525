/** The page at `/` for browsers, with links to everything else. Other clients get the list of paths. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { servedUrl, type Filter } from '../../server/httpexchange.js';
import { CONSOLE } from './paths.js';
import { DOCS } from '../../server/routes/docs/paths.js';
import { SERVER_VERSION } from '../../server/version.js';

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 3rem 1.5rem; font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 42rem; margin: auto; }
pre { padding: .8rem 1rem; border: 1px solid; border-radius: .5rem; overflow-x: auto; }
`;

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache, private',
  Vary: 'Accept, Authorization',
};

/** Which pages there are besides. */
export interface Pages {
  readonly console: boolean;
  readonly docs: boolean;
}

/**
 * Answers browsers at `/` without authentication: the page is the same for all. Requests with credentials, or without
 * `text/html` in Accept, are left to others. `url`: the URL of the server for clients.
 */
export function servingFrontPage(url: () => string, has: Pages): Filter {
  return (exchange) => {
    const { request, response } = exchange;
    if (servedUrl(exchange) !== '/' || !isBrowser(request)) return false;
    const body = Buffer.from(frontPage(url(), has));
    response.writeHead(200, { ...HEADERS, 'Content-Length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  };
}

function isBrowser({ method, headers }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers.authorization === undefined &&
    /(^|[\s,])text\/html\s*($|[,;])/i.test(headers.accept ?? '') &&
    !/(^|[\s,])application\/json\s*($|[,;])/i.test(headers.accept ?? '')
  );
}

function frontPage(url: string, has: Pages): string {
  const server = url.replace(/[^\w:/.[\]-]/g, '');
  const console = has.console ? `<p><a href="${CONSOLE}/">Open the console</a></p>\n` : '';
  const docs = has.docs ? `\n<p><a href="${DOCS}/">Read the documentation</a></p>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Management API server</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Management API server</h1>
<p>This server, version ${SERVER_VERSION}, keeps shared secrets, access keys, projects and what belongs to them. It speaks the Kubernetes API: kubectl, Helm and every other Kubernetes client work with it.</p>
${console}<p>On the command line, with the client that comes with it:</p>
<pre>platform login ${server}
platform list secrets</pre>${docs}
</main>
</body>
</html>
`;
}
