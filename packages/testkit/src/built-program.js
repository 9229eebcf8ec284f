// `lcs` as `npm run build` has made it, also where a source is newer.
const { runProcess } = await import(new URL('../../cli/dist/main.js', import.meta.url).href);
process.exitCode = await runProcess('./.lcs');
