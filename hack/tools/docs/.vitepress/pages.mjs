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
