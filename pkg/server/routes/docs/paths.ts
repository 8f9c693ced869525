/** The path of the documentation. */
export const DOCS = '/docs';
/** Files whose names change with their content. */
export const DOCS_ASSETS = 'assets/';

/** Public text: everybody may ask. */
export const isDocsPath = (path: string): boolean => path === DOCS || path.startsWith(`${DOCS}/`);

/** Answered from memory; browsers ask for many files at a time, over one connection. */
export const isDocsRead = (path: string, method: string): boolean =>
  (method === 'GET' || method === 'HEAD') && isDocsPath(path);
