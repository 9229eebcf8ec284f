import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

/** Prints the URL of each module that is loaded after it. */
const listLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });
`)}`;

// Each unit has these processes, and starts them again after a fault: a whole package costs 0.5 s of processor time.
it.each(['./guard/guard-process.ts', './board-process/board-process.ts', './vial-plant/vial-plant-module.ts'])(
  '%s loads no whole package',
  async (program) => {
    const file = fileURLToPath(new URL(program, import.meta.url));
    // Without its options it fails once all is loaded.
    const { stdout } = await run(process.execPath, ['--import', listLoaded, file]).catch((error: unknown) =>
      Object(error),
    );
    const loaded: readonly string[] = stdout.trim().split('\n');
    expect(loaded).toContainEqual(expect.stringContaining('/domain/src/boards.ts'));
    expect(loaded.filter((url) => /\/(contract|platform|domain)\/src\/index\.ts$|\/typebox\//.test(url))).toEqual([]);
  },
);
