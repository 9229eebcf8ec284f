import { expect, it } from 'vitest';
import { downloadedExport } from './export-download.ts';

it('an export that was removed before it is opened is not found, and no fault of the leader', async () => {
  const file = { path: '/nowhere/export_20261121044924_3fa9c1.zip', bytes: 5, mtimeMs: 0 };
  const { body } = downloadedExport('export_20261121044924_3fa9c1.zip', file, {});
  await expect(Array.fromAsync(body.chunks)).rejects.toMatchObject({ code: 'export_not_found' });
});
