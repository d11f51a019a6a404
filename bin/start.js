// Runs the program with the code that V8 compiled when it was built, which makes every command start a tenth of a second
// sooner. V8 refuses code that another version of it compiled; then it compiles the program anew.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

const program = fileURLToPath(new URL('../dist/main.cjs', import.meta.url));

/** The compiled program, which can compile more while it runs. Without a `cache` nothing is read but the program. */
export function start(file = program, cache = `${file}.cache`) {
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
