/** The documentation over HTTP. */
import type { Express, Response } from 'express';
import { splitUrl } from '../../requestinfo.js';
import { PAGE_HEADERS } from '../pageheaders.js';
import { readable } from '../routes.js';
import { ASSET_CACHE, PAGE_CACHE, sendFile } from '../staticfile.js';
import { DOCS, DOCS_ASSETS } from './paths.js';
import type { DocsFiles } from './site.js';

const NOT_BUILT = 'The documentation was not built with this server: `make docs` builds it.\n';

/** `docs` absent: the paths are not served. */
export function routeDocs(app: Express, docs: DocsFiles | undefined): void {
  if (docs === undefined) return;
  readable(app, DOCS, async (request, response) => {
    // The router takes `/docs/` for the same path.
    if (splitUrl(request.url).path !== DOCS) return serve(docs, 'index.html', request, response);
    response.writeHead(308, { ...headersWith([]), Location: `${DOCS}/`, 'Cache-Control': PAGE_CACHE }).end();
  });
  readable(app, `${DOCS}/{*path}`, (request, response) =>
    serve(docs, splitUrl(request.url).path.slice(DOCS.length + 1), request, response),
  );
}

async function serve(
  docs: DocsFiles,
  path: string,
  request: Parameters<typeof sendFile>[0],
  response: Response,
): Promise<void> {
  const site = await docs.read();
  if (site === undefined) return sendText(response, NOT_BUILT);
  const headers = headersWith(site.scripts);
  const file = path.endsWith('/')
    ? site.find(`${path}index.html`)
    : (site.find(path) ?? site.find(`${path}.html`));
  if (file !== undefined) {
    const cache = path.startsWith(DOCS_ASSETS) ? ASSET_CACHE : PAGE_CACHE;
    return sendFile(request, response, file, { ...headers, 'Cache-Control': cache });
  }
  const missing = site.find('404.html');
  if (missing === undefined) return sendText(response, '404 page not found\n');
  return sendFile(request, response, missing, { ...headers, 'Cache-Control': PAGE_CACHE }, 404);
}

function sendText(response: Response, text: string): void {
  response.writeHead(404, { ...headersWith([]), 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
}

/**
 * Scripts are files of this server, or inline with one of these hashes; the generator sets colours of code in
 * attributes. Only the policy of Vue, which renders the pages, turns text into scripts (Trusted Types).
 */
function headersWith(scripts: readonly string[]): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types vue',
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    ...PAGE_HEADERS,
  };
}
