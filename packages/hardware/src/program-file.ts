/**
 * Where a program or module that is loaded by its address is: beside the file that names it, as a source of its own ending,
 * or as the bundle has named it. `near` is that file's `import.meta.url`.
 */
export const programFile = (
  name: 'board-process' | 'guard-process' | 'switch-off-process' | 'vial-plant-module',
  near: string,
): URL => new URL(`./${name}${near.endsWith('.ts') ? '.ts' : '.js'}`, near);
