// The site of docs/: `make docs`. It needs no network, neither to build nor to be read.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { lastChanges } from './lastchanges.mjs';
import { listedPages, sidebar } from './navigation.mjs';
import {
  drawings,
  editPattern,
  emptyCorners,
  isGenerated,
  pageOf,
  siteLinks,
  slugify,
  stepAnchors,
} from './pages.mjs';

const tool = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const root = resolve(tool, '../../..');
const { version, repository } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
const edited = editPattern(repository);
const changes = lastChanges(root);
const out = resolve(root, process.env.DOCS_OUT ?? 'dist/docs');

/** Pages are outside of this folder, where Vue is installed: when they are rendered, they import the same one. */
const installedVue = {
  name: 'installed-vue',
  enforce: 'pre',
  resolveId: (id, _importer, { ssr }) =>
    ssr && (id === 'vue' || id === 'vue/server-renderer') ? { id, external: true } : null,
};

/** The part of the default theme that the site has its own for. */
const ownSidebarItem = {
  find: /^.*\/VPSidebarItem\.vue$/,
  replacement: resolve(tool, '.vitepress/theme/sidebaritem.vue'),
};

/** Says in a file which modules the site is made of: those of packages come with licences. */
const modules = {
  name: 'modules',
  apply: (_config, { isSsrBuild }) => !isSsrBuild,
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const paths = ids
      .filter((id) => id.includes('node_modules/'))
      .map((id) => relative(tool, id.split('?', 1)[0].replace('\0', '')));
    writeFileSync(`${out}.modules.json`, JSON.stringify([...new Set(paths)].sort()));
  },
};

/** Every word that is looked for is on the page; what was changed when is not looked for. */
const searched = {
  miniSearch: { searchOptions: { combineWith: 'AND', fuzzy: 0.1, boost: { title: 4, titles: 2 } } },
  _render: (source, env, markdown) =>
    env.relativePath === 'changelog.md' ? '' : markdown.render(source, env),
};

export default defineConfig({
  // One page after the other: the index of the search is in the order in which pages are done.
  buildConcurrency: 1,
  title: 'management-apiserver',
  description: 'The management API as a Kubernetes-style API server',
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/docs/',
  srcDir: root,
  srcExclude: ['{.*,api,cmd,coverage,data,deploy,hack,pkg,release,test}/**', 'README.md'],
  rewrites: (file) => pageOf(file) ?? file,
  outDir: out,
  cacheDir: `${out}.cache`,
  // The switch to dark would add a style to the page, which the server's Content-Security-Policy forbids.
  appearance: { disableTransition: false },
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  vite: { plugins: [installedVue, modules], resolve: { alias: [ownSidebarItem] } },
  markdown: {
    // The usual light theme has too little contrast on the grey of code.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    anchor: { slugify },
    toc: { slugify },
    config: (markdown) => {
      siteLinks(markdown, root);
      stepAnchors(markdown);
      emptyCorners(markdown);
      drawings(markdown);
    },
    // A line is highlighted however long that takes: with a limit of time a busy machine builds other pages.
    shikiSetup: (shiki) => {
      const { codeToHtml } = shiki;
      shiki.codeToHtml = (code, options) => codeToHtml(code, { ...options, tokenizeTimeLimit: 0 });
    },
  },
  transformPageData: ({ filePath, frontmatter }) => ({
    lastUpdated: changes[filePath],
    frontmatter: isGenerated(filePath) ? { ...frontmatter, editLink: false } : frontmatter,
  }),
  themeConfig: {
    nav: [{ text: `Version ${version}`, link: '/changelog' }],
    sidebar,
    outline: [2, 3],
    lastUpdated: {
      text: `Version ${version}, last change`,
      formatOptions: { dateStyle: 'long', timeZone: 'UTC', forceLocale: true },
    },
    ...(edited !== undefined && { editLink: { pattern: edited, text: 'Edit this page' } }),
    search: { provider: 'local', options: searched },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  buildEnd({ pages, rewrites }) {
    const listed = new Set(listedPages());
    const unlisted = pages.map((page) => rewrites.map[page] ?? page).filter((page) => !listed.has(page));
    if (unlisted.length > 0) throw new Error(`navigation.mjs does not list ${unlisted.join(', ')}`);
  },
});
