/** The documentation at /docs/, without authentication: over HTTP, and in Chromium. `make docs` builds it. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import {
  axeViolations,
  launchChromium,
  neededChromium,
  openPerson,
  overflow,
  picture,
  tabTo,
} from '../../fixtures/console/chromium.js';
import {
  fetchFrom,
  startServer,
  type Answer,
  type FetchOptions,
  type ServerFixture,
} from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

/** Empty where there is no Git, or no repository. */
const gitSays = (...args: readonly string[]): string =>
  spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SITE = join(process.env.DIST ?? join(ROOT, 'dist'), 'docs.json');
if (!existsSync(SITE) && process.env.CI === 'true') throw new Error(`there is no ${SITE}: make docs`);

const packed = (): readonly string[] =>
  Object.keys((JSON.parse(readFileSync(SITE, 'latin1')) as { readonly files: object }).files);
const PAGES = existsSync(SITE)
  ? packed()
      .filter((path) => path.endsWith('.html'))
      .map((path) => `/docs/${path}`)
  : [];

/** What a page links to and loads, of the server. */
function linksOf(page: string, html: string): URL[] {
  const here = new URL(page, 'https://site.invalid');
  return [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)]
    .map(([, link = '']) => new URL(link.replaceAll('&amp;', '&'), here))
    .filter(({ host }) => host === here.host);
}

(existsSync(SITE) ? describe : describe.skip)('the documentation', () => {
  let server: ServerFixture;
  beforeAll(async () => {
    server = await startServer({ flags: ['--anonymous-auth=false'] });
  });
  afterAll(() => server.remove());

  const ask = (path: string, options: FetchOptions = {}): Promise<Answer> =>
    fetchFrom(server.url + path, { token: '', ...options });

  test('serves the site to everybody, as it was packed', async () => {
    const page = await ask('/docs/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['cache-control']).toBe('no-cache, private');
    const [asset = ''] = /\/docs\/assets\/app\.[^"]+\.js/.exec(page.text) ?? [];
    const script = await ask(asset, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(script.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
    });
    const known = await ask(asset, { headers: { 'if-none-match': String(script.headers.etag) } });
    expect([known.status, known.text]).toEqual([304, '']);
    expect((await ask('/docs/quickstart')).text).toBe((await ask('/docs/quickstart.html')).text);
    const moved = await ask('/docs');
    expect([moved.status, moved.headers.location]).toEqual([308, '/docs/']);
    const head = await ask('/docs/', { method: 'HEAD' });
    expect([head.status, head.text, Number(head.headers['content-length']) > 1000]).toEqual([200, '', true]);
    expect((await ask('/docs/', { method: 'POST' })).status).toBe(405);
  });

  test('has what its pages link to', async () => {
    const answers = new Map<string, Answer>();
    const answered = async (path: string): Promise<Answer> => {
      const answer = answers.get(path) ?? (await ask(path));
      answers.set(path, answer);
      return answer;
    };
    const wrong: string[] = [];
    for (const page of PAGES)
      for (const { pathname, hash } of linksOf(page, (await answered(page)).text)) {
        const { status, text } = await answered(pathname);
        const anchor = decodeURIComponent(hash.slice(1));
        if (status !== 200 || (anchor !== '' && !text.includes(` id="${anchor}"`)))
          wrong.push(`${page}: ${pathname}${hash}`);
      }
    expect(wrong).toEqual([]);
    expect(answers.size).toBeGreaterThan(PAGES.length);
    expect([...answers.keys()]).toContain('/docs/contributing/');
  });

  test('has no other files', async () => {
    const paths = ['no-such-page', '..%2fpackage.json', '..%5cpackage.json', '%2fetc%2fpasswd'];
    for (const path of [
      ...paths,
      'assets/none.js',
      'quickstart/',
      'contributing//',
      'assets/',
      '__proto__',
      'constructor',
      '%00',
      'a'.repeat(4000),
    ]) {
      const answer = await ask(`/docs/${path}`);
      expect([path, answer.status, answer.text.includes('lmdb')]).toEqual([path, 404, false]);
    }
    expect((await ask('/docs/%zz')).status).toBe(400);
    for (const path of ['/docsx', '/Docs/']) expect((await ask(path)).status).toBe(401);
  });

  test('no page runs a script that is not of the site', async () => {
    const page = await ask('/docs/');
    const policy = String(page.headers['content-security-policy']);
    const [, scripts = ''] = /script-src ([^;]*);/.exec(policy) ?? [];
    expect(scripts).toMatch(/^'self'( 'sha256-[\w+/]{43}=')+$/);
    expect(policy).toMatch(/^default-src 'none';/);
    expect(page.headers['x-frame-options']).toBe('DENY');
  });

  test('many pages come over one HTTP/2 connection of a stranger', async () => {
    const session = connect(server.url, { rejectUnauthorized: false });
    const status = (): Promise<number> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': '/docs/' });
        stream.once('error', reject).once('response', (headers) => resolve(Number(headers[':status'])));
        stream.resume();
      });
    const all = await Promise.all(Array.from({ length: 20 }, status));
    session.destroy();
    expect(new Set(all)).toEqual(new Set([200]));
  });

  (neededChromium() ? describe : describe.skip)('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser.close());

    const LOOKED_AT = ['', 'quickstart.html', 'reference/api.html', 'security.html', 'monitoring.html'];
    const show = async (page: Page, path: string, look: string): Promise<void> => {
      await page.goto(`/docs/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const name = path.replace('.html', '').replace('/', '-') || 'index';
      await picture(page, `site-${name}-${look}`);
    };

    test.each([
      ['light', {}],
      ['dark', { dark: true }],
      ['phone', { width: 320 }],
    ] as const)('pages fit, are accessible, and break no rule of theirs, %s', async (look, options) => {
      const { page, violations, said, context } = await openPerson(browser, server, options);
      for (const path of LOOKED_AT) {
        await show(page, path, look);
        expect([path, await overflow(page), await axeViolations(page)]).toEqual([path, 0, []]);
      }
      const isDark = await page.evaluate<boolean>(`document.documentElement.classList.contains('dark')`);
      expect(isDark).toBe(look === 'dark');
      expect(violations).toEqual([]);
      expect(said.filter((text) => text.startsWith('error'))).toEqual([]);
      await context.close();
    });

    test('headings and steps have links of their own, which the keyboard reaches', async () => {
      const { page, violations, context } = await openPerson(browser, server);
      await page.goto('/docs/upgrade.html');
      await page.getByRole('link', { name: 'Permalink to "Upgrade"' }).focus();
      await tabTo(page, 'Link to step 2');
      await eventually('a link that is seen', () =>
        page.evaluate<boolean>(`getComputedStyle(document.activeElement).opacity === '1'`),
      );
      await picture(page, 'site-step-light');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/upgrade\.html#upgrade-step-2$/);
      await page.goto('/docs/quickstart.html#next');
      await page.locator('h2#next').waitFor();
      expect(violations).toEqual([]);
      await context.close();
    });

    test('each page has its version and last change, and a link to edit it if the project has an address', async () => {
      const { page, context } = await openPerson(browser, server);
      const isKnown = gitSays('rev-parse', '--is-shallow-repository').trim() === 'false';
      const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
        readonly repository?: unknown;
      };
      for (const name of ['quickstart', 'tutorials/share-a-secret', 'reference/errors']) {
        await page.goto(`/docs/${name}.html`);
        await page
          .getByRole('link', { name: `Version ${SERVER_VERSION}` })
          .first()
          .waitFor();
        const changed = Number(gitSays('log', '-1', '--format=%ct', '--', `docs/${name}.md`)) * 1000;
        const text = new Date(changed).toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });
        if (isKnown) await page.getByText(`Version ${SERVER_VERSION}, last change: ${text}`).waitFor();
        // Pages of the reference are written from the code.
        const isEdited = repository !== undefined && !name.startsWith('reference/');
        expect([name, await page.getByRole('link', { name: 'Edit this page' }).count()]).toEqual([
          name,
          isEdited ? 1 : 0,
        ]);
      }
      await context.close();
    });

    test('a search finds a page, and leads to it', async () => {
      const { page, violations, said, context } = await openPerson(browser, server);
      await page.goto('/');
      await page.getByRole('link', { name: 'Read the documentation' }).click();
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('restore a backup');
      await page.getByRole('option').first().waitFor();
      await picture(page, 'site-search-light');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/(backup|restore)\.html/);
      await page.getByRole('switch').first().click();
      expect(await page.evaluate<boolean>(`document.documentElement.classList.contains('dark')`)).toBe(true);
      expect(violations).toEqual([]);
      expect(said.filter((text) => text.startsWith('error'))).toEqual([]);
      await context.close();
    });
  });
});

describe('without the documentation', () => {
  test.each([
    ['a server that was built without it says so', [], 404, /^The documentation was not built .*`make docs`/],
    ['one without the console has none', ['--console=false'], 404, /^404 page not found\n$/],
  ])('%s', async (_title, flags, status, text) => {
    const dist = mkdtempSync(join(tmpdir(), 'without-docs-'));
    for (const name of ['api', 'cmd', 'pkg'])
      cpSync(join(ROOT, 'dist', name), join(dist, name), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(dist, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(dist, 'node_modules'));
    const server = await startServer({ dist, flags });
    try {
      const answer = await fetchFrom(`${server.url}/docs/`);
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)]);
    } finally {
      await server.remove();
      rmSync(dist, { recursive: true });
    }
  });
});
