import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConfigHistoryQuery, configAuthors } from '@lcs/contract';
import { StartupError } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { ModelCatalog } from '../models/model-catalog.ts';
import {
  errorOf,
  request,
  startTestLeader,
  streamedBodyOf,
  type TestLeaderOptions,
  temporaryFolder,
} from '../testing/test-leader.ts';
import { createConfig } from './create-config.ts';
import { SharedConfig } from './shared-config.ts';

interface Options extends TestLeaderOptions {
  readonly probe?: (point: string) => void;
}

const defaults = () => ({ leaderAddress: '127.0.0.1', httpPort: 4999, brokerPort: 1883 });

async function startConfig({ probe, ...options }: Options = {}) {
  const leader = await startTestLeader(options);
  const config = new SharedConfig({ context: leader.context, defaults, ...(probe ? { probe } : {}) });
  const models = new ModelCatalog({ ...leader.context, builtIn: [], folder: leader.context.dataFolder });
  const { handlers } = createConfig(leader.context, config, models);
  try {
    await config.start();
  } catch (error) {
    await leader[Symbol.asyncDispose]();
    throw error;
  }
  const file = join(leader.context.dataFolder, 'config.ini');
  return {
    ...leader,
    config,
    file,
    onDisk: () => readFile(file, 'utf8'),
    get: async () => (await handlers.getSharedConfig(request({}, undefined))).body,
    save: async (code: string) => handlers.saveSharedConfig(request({}, { code })),
    /** Texts of the history, newest first. */
    history: async (query: ConfigHistoryQuery = {}) => {
      const body = await streamedBodyOf(await handlers.listSharedConfigHistory({ ...request({}, undefined), query }));
      return Array.isArray(body) ? body.map(({ data }) => data) : [];
    },
    entries: async (query: ConfigHistoryQuery = {}) =>
      streamedBodyOf(await handlers.listSharedConfigHistory({ ...request({}, undefined), query })),
    [Symbol.asyncDispose]: async () => {
      await config.stop();
      await leader[Symbol.asyncDispose]();
    },
  };
}

describe('the shared configuration', () => {
  it('is made for a new leader, and is the first version of its history', async () => {
    await using leader = await startConfig();
    const text = await leader.get();
    expect(text).toContain('leader_hostname=lead\n');
    expect(text).toBe(await leader.onDisk());
    expect(await leader.entries()).toEqual([]);
    await leader.save(await leader.onDisk());
    const saved = { filename: 'config.ini', timestamp: '2026-05-02T09:14:03.120Z', data: text };
    expect(await leader.entries()).toEqual([{ ...saved, timestamp: '2026-05-02T09:14:03.121Z' }, saved]);
    expect(await leader.entries({ authors: true })).toEqual([
      { ...saved, timestamp: '2026-05-02T09:14:03.121Z', author: configAuthors.unnamed },
      { ...saved, author: configAuthors.installed },
    ]);
  });

  it('is stored as sent, apart from dashes, and published with its history', async () => {
    await using leader = await startConfig();
    for (const unit of ['rx02', 'rx01', 'lead']) await leader.addWorker(unit);
    const first = await leader.onDisk();
    const code = `${first}\r\n; my own \u2014 comment\n[my section]\nKey : 5 ; not a comment\n`;
    await leader.clock.advance(1000);
    const answer = await leader.save(code);
    expect(answer.body).toMatchObject({ status: 'success', pending: ['rx01', 'rx02'] });
    const stored = code.replace('\u2014', '-');
    expect(await leader.get()).toBe(stored);
    expect(leader.config.view()['my section']).toEqual({ Key: '5 ; not a comment' });
    expect(await leader.history()).toEqual([stored, first]);
    expect(leader.announced.at(-1)).toEqual({
      live: 'config',
      key: 'config.ini',
      data: { filename: 'config.ini', timestamp: '2026-05-02T09:14:04.121Z' },
    });
  });

  it('gets an entry in its history for every save, changed or not, also after the clock was set back', async () => {
    await using leader = await startConfig();
    const first = await leader.onDisk();
    leader.clock.stepWallClock(-60_000);
    await leader.save(first);
    await leader.save(`${first};\n`);
    expect(await leader.history()).toEqual([`${first};\n`, first, first]);
  });

  it('returns a part of its history on request, and keeps the newest thousand versions', async () => {
    await using leader = await startConfig();
    const first = await leader.onDisk();
    await leader.context.database.write(async (transaction) => {
      for (let at = 1; at <= 1_001; at += 1) {
        await transaction
          .insertInto('config_histories')
          .values({ at, filename: at === 1 ? 'unit_config.ini::rx01' : 'config.ini', data: String(at), author: null })
          .execute();
      }
    });
    expect(await leader.history({ skip: 1, limit: 2 })).toEqual(['1000', '999']);
    await leader.save(`${first};\n`);
    // What the file held before is a version too.
    const kept = await leader.history();
    expect(kept).toHaveLength(1_000);
    expect([kept[0], kept.at(-1)]).toEqual([`${first};\n`, '4']);
    expect(await leader.history({ skip: 999 })).toEqual(['4']);
    const others = leader.context.database.read.selectFrom('config_histories').where('filename', '<>', 'config.ini');
    expect(await others.select('data').execute()).toEqual([{ data: '1' }]);
  });

  it('refuses a bad text and keeps everything as it was', async () => {
    await using leader = await startConfig();
    const first = await leader.onDisk();
    const announced = leader.announced.length;
    expect(await errorOf(leader.save('[mqtt]\n'))).toMatchObject({ status: 400, code: 'config_invalid' });
    expect(await errorOf(leader.save(''))).toMatchObject({ status: 400, code: 'config_invalid' });
    expect(await errorOf(leader.save(`${first}${';'.repeat(1024 * 1024)}`))).toMatchObject({ status: 400 });
    expect(await leader.get()).toBe(first);
    expect(await leader.history()).toEqual([]);
    expect(leader.announced).toHaveLength(announced);
  });

  it('takes saves that come at once, all of them, in their order', async () => {
    await using leader = await startConfig();
    const first = await leader.onDisk();
    const texts = [1, 2, 3, 4, 5].map((version) => `${first}[x]\nversion=${version}\n`);
    await Promise.all(texts.map((text) => leader.save(text)));
    expect(await leader.history()).toEqual([...texts.toReversed(), first]);
    expect(await leader.get()).toBe(texts.at(-1));
    expect(leader.config.view().x).toEqual({ version: '5' });
  });

  it('continues to save after a failed save', async () => {
    await using leader = await startConfig();
    const first = await leader.onDisk();
    await rm(leader.file);
    await mkdir(leader.file);
    await expect(leader.save(`${first};1\n`)).rejects.toMatchObject({ code: 'config_unreadable', status: 500 });
    await rm(leader.file, { recursive: true });
    await leader.save(`${first};2\n`);
    expect(await leader.onDisk()).toBe(`${first};2\n`);
    expect(await leader.history()).toEqual([`${first};2\n`]);
  });
});

describe('the shared configuration edited by hand', () => {
  it('is taken over when it is next read, and kept in the history by the next save', async () => {
    await using leader = await startConfig();
    const first = await leader.onDisk();
    const edited = first.replace('raw_od_lookback_hours=50000', 'raw_od_lookback_hours=12');
    await writeFile(leader.file, edited);
    expect(await leader.get()).toBe(edited);
    expect(leader.config.view()['ui.overview.settings']?.raw_od_lookback_hours).toBe('12');
    await leader.save(`${edited};\n`);
    expect(await leader.history()).toEqual([`${edited};\n`, edited]);
  });

  it('keeps the earlier values active when it is not valid, and logs it once', async () => {
    await using leader = await startConfig();
    const before = leader.config.view();
    await writeFile(leader.file, '[mqtt');
    expect(await leader.get()).toBe('[mqtt');
    expect(await leader.get()).toBe('[mqtt');
    expect(leader.config.view()).toEqual(before);
    expect(leader.log.messages('warn')).toHaveLength(1);
  });

  it.each([
    ['a fault', '[mqtt]\n[mqtt]\n', /config\.ini cannot be used: Section \[mqtt\] occurs twice\. Line 2, column 1\.$/],
    [
      'another leader',
      '[cluster.topology]\nleader_hostname=x\nleader_address=y\n[mqtt]\n',
      /names x, but this leader is lead/,
    ],
  ])('keeps a leader from starting, with one sentence, when it has %s', async (_, text, sentence) => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'config.ini'), text);
    const start = startConfig({ dataFolder: folder.path });
    await expect(start).rejects.toThrow(StartupError);
    await expect(start).rejects.toThrow(sentence);
    expect(await readFile(join(folder.path, 'config.ini'), 'utf8')).toBe(text);
  });

  it('prevents the start of a leader when it is not UTF-8, and does not change', async () => {
    await using folder = await temporaryFolder();
    const bytes = Buffer.from([0x5b, 0xff, 0x5d]);
    await writeFile(join(folder.path, 'config.ini'), bytes);
    await expect(startConfig({ dataFolder: folder.path })).rejects.toThrow(StartupError);
    expect(await readFile(join(folder.path, 'config.ini'))).toEqual(bytes);
  });
});

describe('a save that is cut', () => {
  it.each(['file.temp_written', 'file.renamed', 'config.file_written'])(
    'at %s leaves file and history in agreement after the next start',
    async (point) => {
      await using folder = await temporaryFolder();
      let armed = false;
      const cut = new Error('the power is gone');
      const probe = (passed: string) => {
        if (armed && passed === point) throw cut;
      };
      const before = await startConfig({ dataFolder: folder.path, probe });
      const first = await before.onDisk();
      armed = true;
      await expect(before.save(`${first};2\n`)).rejects.toBe(cut);
      await before.stop();

      await using after = await startConfig({ dataFolder: folder.path });
      const text = await after.onDisk();
      expect([first, `${first};2\n`]).toContain(text);
      expect(await after.get()).toBe(text);
      expect(await after.history()).toEqual(text === first ? [first] : [text, first]);
    },
  );

  it('by the store puts the old file back', async () => {
    await using leader = await startConfig();
    const first = await leader.onDisk();
    const full = new Error('the disk is full');
    const context = { ...leader.context, change: () => Promise.reject(full) };
    const config = new SharedConfig({ context, defaults });
    await config.start();
    await expect(config.save(`${first};2\n`)).rejects.toBe(full);
    expect(await leader.onDisk()).toBe(first);
    expect(config.view()).toEqual(leader.config.view());
    expect(await leader.history()).toEqual([]);
  });
});
