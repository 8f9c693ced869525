import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { Exchange } from '../../server/httpexchange.js';
import { servingFrontPage } from './frontpage.js';

interface Seen {
  code?: number;
  headers?: Record<string, unknown>;
  body?: string | undefined;
  handled: boolean;
}

function ask(
  request: { url: string; method?: string; headers: Record<string, string> },
  url = 'https://127.0.0.1:6443',
  has = { console: true, docs: true },
): Seen {
  const seen: Seen = { handled: false };
  const response = {
    writeHead: (code: number, headers: Record<string, unknown>) => Object.assign(seen, { code, headers }),
    end: (body?: Buffer) => void (seen.body = body?.toString()),
  };
  const answered = servingFrontPage(
    () => url,
    has,
  )({
    request: { method: 'GET', ...request } as unknown as IncomingMessage,
    response: response as unknown as ServerResponse,
  } as unknown as Exchange);
  return { ...seen, handled: !answered };
}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the front page', () => {
  test('is served to browsers, and loads nothing', async () => {
    const seen = ask({ url: '/', headers: { accept: BROWSER } });
    expect(seen).toMatchObject({ code: 200, handled: false });
    expect(seen.body).toContain('platform login https://127.0.0.1:6443');
    expect(seen.body).toContain('href="/console/"');
    expect(seen.headers?.['Content-Security-Policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+';/,
    );
    expect(seen.body).toContain('href="/docs/"');
    const none = { console: false, docs: false };
    expect(ask({ url: '/', headers: { accept: BROWSER } }, undefined, none).body).not.toContain('href');
  });

  test('has no body for HEAD', async () => {
    const seen = ask({ url: '/', method: 'HEAD', headers: { accept: BROWSER } });
    expect(seen).toMatchObject({ code: 200, body: undefined });
  });

  test('escapes the name of the server', async () => {
    const seen = ask({ url: '/', headers: { accept: BROWSER } }, 'https://a"><script>alert(1)</script>');
    expect(seen.body).not.toContain('<script');
  });

  test.each([
    [{ url: '/', headers: {} }],
    [{ url: '/', headers: { accept: '*/*' } }],
    [{ url: '/', headers: { accept: 'application/json, */*' } }],
    [{ url: '/', headers: { accept: 'application/json, text/html' } }],
    [{ url: '/', headers: { accept: BROWSER, authorization: 'Bearer x' } }],
    [{ url: '/', method: 'POST', headers: { accept: BROWSER } }],
    [{ url: '/?x', headers: { accept: BROWSER } }],
    [{ url: '/index.html', headers: { accept: BROWSER } }],
    [{ url: '/apis', headers: { accept: BROWSER } }],
  ])('is not served for %j', async (request) => {
    expect(ask(request).handled).toBe(true);
  });
});
