// prepack.mjs: what `npm pack` and `npm publish` run first in a checkout, whose package has neither a bundle nor a shrinkwrap.
console.error('npm pack: this is a checkout; `make release` writes the package to release/');
process.exitCode = 1;
