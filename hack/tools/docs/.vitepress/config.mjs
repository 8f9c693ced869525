// The site of docs/: `make docs`. It needs no network, neither to build nor to be read.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { listedPages, sidebar } from './navigation.mjs';
import { pageOf, siteLinks, slugify } from './pages.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');

/** Pages are outside of this folder, where Vue is installed: when they are rendered, they import the same one. */
const installedVue = {
  name: 'installed-vue',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) =>
    ssr && (id === 'vue' || id === 'vue/server-renderer') ? { id, external: true } : null,
};

export default defineConfig({
  title: 'management-apiserver',
  description: 'The management API as a Kubernetes-style API server',
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/docs/',
  srcDir: root,
  srcExclude: ['{.*,api,cmd,coverage,data,deploy,hack,pkg,release,test}/**', 'README.md'],
  rewrites: (file) => pageOf(file) ?? file,
  outDir: resolve(root, 'dist/docs'),
  cacheDir: resolve(root, 'dist/.docs-cache'),
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  vite: { plugins: [installedVue] },
  markdown: {
    anchor: { slugify },
    toc: { slugify },
    config: (markdown) => siteLinks(markdown, root),
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  buildEnd({ pages, rewrites }) {
    const listed = new Set(listedPages());
    const unlisted = pages.map((page) => rewrites.map[page] ?? page).filter((page) => !listed.has(page));
    if (unlisted.length > 0) throw new Error(`navigation.mjs does not list ${unlisted.join(', ')}`);
  },
});
