// Which Markdown files of the repository are pages of the site, where each is there, and where their links lead.
import { posix } from 'node:path';

/** Pages outside of docs/, and where they are in the site. */
const OUTSIDE = {
  'ARCHITECTURE.md': 'contributing/architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing/index.md',
  'SECURITY.md': 'contributing/reporting.md',
};

/** Where a file of the repository (`docs/quickstart.md`) is in the site (`quickstart.md`), or undefined. */
export function pageOf(file) {
  if (file.startsWith('docs/') && file.endsWith('.md')) return file.slice('docs/'.length);
  return OUTSIDE[file];
}

/**
 * What a relative link of a file becomes in the site: a link to a page, the same link (assets, other hosts), or null where it
 * leads to a file of the repository that is no page.
 */
export function linkOf(file, link) {
  if (/^([a-z][a-z0-9+.-]*:|#|\/)/i.test(link)) return link;
  const [path, anchor] = link.split('#', 2);
  const target = posix.join(posix.dirname(file), path);
  const page = pageOf(target);
  if (page === undefined) return null;
  const from = posix.dirname(pageOf(file) ?? file);
  const relative = posix.relative(from, page);
  const href = relative.startsWith('.') ? relative : `./${relative}`;
  return anchor === undefined ? href : `${href}#${anchor}`;
}

/** The anchor of a heading, as GitHub makes it: hack/verify-links.mjs checks links by the same rule. */
export const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replace(/ /g, '-');

/** Where a page is edited, `:path` for its file, or undefined if `repository` of package.json does not name a repository of GitHub. */
export function editPattern(repository) {
  const [, path] = /github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository?.url ?? '') ?? [];
  return path === undefined ? undefined : `https://github.com/${path}/edit/main/:path`;
}

/** hack/update-reference.sh writes these from the code. */
export const isGenerated = (file) => file.startsWith('docs/reference/');

/** A plug-in of markdown-it: each step of a numbered list has an anchor, `HEADING-step-N`, and a link to it. */
export function stepAnchors(markdown) {
  markdown.core.ruler.push('step-anchors', ({ tokens, Token }) => {
    let heading = '';
    tokens.forEach((token, at) => {
      if (token.type === 'heading_open') heading = token.attrGet('id');
      // Bullets have no number in `info`.
      if (token.type !== 'list_item_open' || token.level !== 1 || token.info === '') return;
      const id = `${heading}-step-${token.info}`;
      token.attrSet('id', id);
      const link = new Token('html_inline', '', 0);
      link.content = `<a class="header-anchor" href="#${id}" aria-label="Link to step ${token.info}"></a>`;
      tokens[at + 2].children.unshift(link);
    });
  });
}

/** A plug-in of markdown-it: the empty corner of a table is no heading. */
export function emptyCorners(markdown) {
  markdown.core.ruler.push('empty-corners', ({ tokens }) => {
    tokens.forEach((token, at) => {
      if (token.type !== 'th_open' || tokens[at + 1].content !== '') return;
      token.tag = 'td';
      tokens[at + 2].tag = 'td';
    });
  });
}

/** A plug-in of markdown-it: a drawing, which scrolls on a phone, can be scrolled by the keyboard. */
export function drawings(markdown) {
  markdown.core.ruler.push('drawings', ({ tokens }) => {
    tokens.forEach(({ children }, at) => {
      const [image, ...more] = children ?? [];
      const isDrawing = image?.type === 'image' && more.length === 0 && image.attrGet('src').endsWith('.svg');
      if (isDrawing) tokens[at - 1].attrSet('tabindex', '0');
    });
  });
}

/** A plug-in of markdown-it: links lead to pages of the site; a link to any other file becomes its text. */
export function siteLinks(markdown, root) {
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    const file = posix.relative(root, env.realPath ?? env.path);
    for (const { children } of tokens) {
      const dropped = [];
      for (const token of children ?? []) {
        // Vue takes {{ }} for an expression, in code too.
        if (token.type === 'code_inline') token.attrSet('v-pre', '');
        if (token.type === 'link_open') {
          const href = linkOf(file, token.attrGet('href') ?? '');
          dropped.push(href === null);
          if (href === null) token.hidden = true;
          else token.attrSet('href', href);
        }
        if (token.type === 'link_close') token.hidden = dropped.pop() === true;
      }
      if (children) children.splice(0, children.length, ...children.filter(({ hidden }) => !hidden));
    }
  });
}
