// Checks every Markdown file of the project: relative links lead to files that exist, anchors to headings that exist,
// and paths named in backticks (`pkg/...`, `hack/...`) are there. Links to other hosts are not followed.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const notOurs = new Set(['node_modules', 'dist', 'release', 'coverage', 'data', '.git', '.tools', '.bin']);
const projectPath = /^(api|cmd|pkg|deploy|docs|hack|test|\.ci)\/[\w./-]+$/;

/** Every Markdown file below a folder, leaving out what is installed or generated. */
function markdownFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Lines outside fenced code, with their numbers. */
function proseLines(text) {
  let fence = null;
  return text.split('\n').flatMap((line, index) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence === null && mark !== undefined) {
      fence = mark;
      return [];
    }
    if (fence !== null) {
      if (mark !== undefined && mark.startsWith(fence)) fence = null;
      return [];
    }
    return [{ line, number: index + 1 }];
  });
}

/** The anchors of a file's headings, as GitHub makes them; a repeated heading gets -1, -2 and so on. */
function anchorsOf(path) {
  const seen = new Map();
  const anchors = new Set();
  for (const { line } of proseLines(readFileSync(path, 'utf8'))) {
    for (const [, id] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replace(/ /g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** What a line of prose points at: link targets, and paths in backticks. */
function pointersOf(line) {
  const code = [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  const prose = line.replace(/`[^`]*`/g, '``');
  const links = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)].map((match) => match[1]);
  const definition = /^\s*\[[^\]]+\]:\s*(\S+)/.exec(prose)?.[1];
  if (definition !== undefined) links.push(definition);
  return { links, paths: code.filter((text) => projectPath.test(text)) };
}

/** Why a link of a file is dead, or null. */
function deadLink(file, link) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return null;
  const [path, anchor] = link.split('#', 2);
  const target = path === '' ? file : resolve(dirname(file), decodeURIComponent(path));
  if (relative(root, target).startsWith('..')) return `${link} leads out of the project`;
  if (!existsSync(target)) return `${link} leads nowhere`;
  if (anchor === undefined || anchor === '') return null;
  if (!statSync(target).isFile() || !anchorsOf(target).has(anchor)) return `${link}: no such heading`;
  return null;
}

const files = markdownFiles(root);
const complaints = [];
let checked = 0;
for (const file of files) {
  for (const { line, number } of proseLines(readFileSync(file, 'utf8'))) {
    const { links, paths } = pointersOf(line);
    const at = `${relative(root, file)}:${number}`;
    checked += links.length + paths.length;
    for (const link of links) {
      const reason = deadLink(file, link);
      if (reason !== null) complaints.push(`${at}: ${reason}`);
    }
    for (const path of paths) {
      if (!existsSync(join(root, path))) complaints.push(`${at}: \`${path}\` does not exist`);
    }
  }
}
if (files.length === 0 || checked === 0)
  complaints.push('found no Markdown file with a link or path: is this the project?');
for (const complaint of complaints) console.error(`verify-links: ${complaint}`);
if (complaints.length === 0)
  console.log(`verify-links: ${checked} links and paths in ${files.length} files lead somewhere`);
process.exitCode = complaints.length === 0 ? 0 : 1;
