// Starts the daemon's binary: loads its scripts, which are embedded as assets, when they are first required. The loaders of Node
// read only files.
const { getAsset } = require('node:sea');
const { compileFunction } = require('node:vm');

const loaded = new Map();

function load(id) {
  if (!id.startsWith('./')) return require(id);
  const known = loaded.get(id);
  if (known) return known.exports;
  const module = { exports: {} };
  // Before it runs, so that scripts can require each other.
  loaded.set(id, module);
  // The scripts are ASCII: as Latin-1, V8 stores them with one byte per character.
  const source = getAsset(id, 'latin1');
  compileFunction(source, ['require', 'module', 'exports'], { filename: id })(load, module, module.exports);
  return module.exports;
}

load('./main.js');
