import manifest from '../../package.json' with { type: 'json' };

/** Version of the program, `YY.M.N`: all packages carry the same. */
export const programVersion: string = manifest.version;
