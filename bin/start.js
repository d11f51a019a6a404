// Runs the program with the code that V8 compiled when it was built, which makes every command start a tenth of a second
// sooner. Another Node compiles the program anew.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

const program = fileURLToPath(new URL('../dist/main.cjs', import.meta.url));

/**
 * Where this Node keeps what it compiled. V8 refuses code of its other versions, but not of its other builds: Node 20.19
 * crashes with that of Node 20.20.
 */
export function cacheOf(file) {
  return `${file}.${process.version}-${process.platform}-${process.arch}.cache`;
}

/** The compiled program, which can compile more while it runs. Without a `cache` nothing is read but the program. */
export function start(file = program, cache = cacheOf(file)) {
  const script = new Script(
    `(function (require, module, exports, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`,
    {
      filename: file,
      cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    },
  );
  const module = { exports: {} };
  script.runInThisContext()(createRequire(file), module, module.exports, file, dirname(file));
  return script;
}
