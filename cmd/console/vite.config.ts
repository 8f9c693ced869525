/** Builds the console into dist/console, which the server reads at its start. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// eslint-disable-next-line import/no-default-export -- Vite reads it.
export default defineConfig({
  root: from('.'),
  base: '/console/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: from('../../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // The Content Security Policy of the pages allows no inline files, and no unnecessary scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Code that pages share is in one file, instead of dozens of some hundred bytes each.
        codeSplitting: {
          groups: [
            { name: 'shared', test: /\/cmd\/console\/(client|live|ui|pages\/object)\//, minShareCount: 2 },
          ],
        },
      },
      // Libraries mark modules for browsers (`use client`); all modules of the console are.
      onLog(level, log, tell) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
});
