import { describe, expect, it } from 'vitest';
import type { SeriesAnswer } from './reader-protocol.ts';
import { SeriesAnswers } from './series-answers.ts';
import { SeriesChanges } from './series-changes.ts';
import type { ReadPlan, SeriesQuestion } from './series-reader.ts';

const question = { experimentUid: 'e1', source: 'od', lookbackHours: 4, targetPoints: 720 };
const always = new AbortController().signal;

const etagOf = (answer: SeriesAnswer | ReadPlan) => ('etag' in answer ? answer.etag : undefined);

/** Answers in the order of a counter, the next ones only when `release` is called. */
function setting(maxBytes?: number) {
  const asked: SeriesQuestion[] = [];
  const waiting: (() => void)[] = [];
  const time = { now: 1_000, changesAt: Number.POSITIVE_INFINITY, size: 10, isHeld: false };
  const changes = new SeriesChanges();
  const readers = {
    answer: async (one: SeriesQuestion, isWanted: () => boolean): Promise<SeriesAnswer> => {
      const number = asked.push(one);
      const bytes = new Uint8Array(time.size);
      if (time.isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
      if (!isWanted()) throw new Error('left out');
      return { bytes, etag: `"${number}"`, targetPoints: one.targetPoints, changesAtMs: time.changesAt };
    },
    lines: async () => new Uint8Array(),
  };
  const answers = new SeriesAnswers({ readers, changes, now: () => time.now, ...(maxBytes ? { maxBytes } : {}) });
  return {
    asked,
    time,
    changes,
    answers,
    release: () => {
      for (const go of waiting.splice(0)) go();
    },
  };
}

describe('an answer is read once', () => {
  it('for as long as nothing of its source is stored', async () => {
    const { asked, changes, answers, time } = setting();
    await answers.current(question, always);
    changes.note('e1', 'raw_od');
    changes.note('e2', 'od');
    time.now += 10_000;
    await answers.current({ ...question }, always);
    expect(asked).toHaveLength(1);
    changes.note('e1', 'od');
    await answers.current(question, always);
    expect(asked.map(({ nowMs }) => nowMs)).toEqual([1_000, 11_000]);
  });

  it('until time alone changes it, or is set back', async () => {
    const { asked, answers, time } = setting();
    time.changesAt = 2_000;
    await answers.current(question, always);
    time.now = 1_999;
    await answers.current(question, always);
    expect(asked).toHaveLength(1);
    time.now = 2_000;
    await answers.current(question, always);
    expect(asked).toHaveLength(2);
    time.changesAt = Number.POSITIVE_INFINITY;
    await answers.current(question, always);
    time.now = 1_500;
    await answers.current(question, always);
    expect(asked).toHaveLength(4);
  });

  it('for a window of the past until something is stored, whatever the time', async () => {
    const { asked, answers, changes, time } = setting();
    time.changesAt = 1_200;
    const past = { ...question, untilMs: 900 };
    await answers.current(past, always);
    time.now = 500_000;
    await answers.current(past, always);
    expect(asked.map(({ nowMs }) => nowMs)).toEqual([900]);
    await answers.current({ ...question, untilMs: 901 }, always);
    changes.note('e1', 'od');
    await answers.current(past, always);
    expect(asked.map(({ nowMs }) => nowMs)).toEqual([900, 901, 900]);
  });

  it('for a window that ends in the future as of now, until it has ended', async () => {
    const { asked, answers, time } = setting();
    time.changesAt = 3_000;
    const future = { ...question, untilMs: 2_000 };
    await answers.current(future, always);
    time.now = 2_500;
    await answers.current(future, always);
    time.now = 3_500;
    await answers.current(future, always);
    await answers.current(future, always);
    expect(asked.map(({ nowMs }) => nowMs)).toEqual([1_000, 2_000]);
  });

  it('for all who ask while it is being read, unless something is stored meanwhile', async () => {
    const { asked, answers, changes, time, release } = setting();
    time.isHeld = true;
    const first = answers.current(question, always);
    const second = answers.current(question, always);
    changes.note('e1', 'od');
    const third = answers.current(question, always);
    release();
    expect(etagOf(await first)).toBe(etagOf(await second));
    release();
    expect(etagOf(await third)).not.toBe(etagOf(await first));
    expect(asked).toHaveLength(2);
  });

  it('one reading after the other, however many ask and however often something is stored', async () => {
    const { asked, answers, changes, time, release } = setting();
    time.isHeld = true;
    const waiting = [answers.current(question, always)];
    for (let change = 0; change < 20; change += 1) {
      changes.note('e1', 'od');
      waiting.push(answers.current(question, always), answers.current(question, always));
    }
    expect(asked).toHaveLength(1);
    release();
    await waiting[0];
    await Promise.resolve();
    release();
    const etags = (await Promise.all(waiting)).map(etagOf);
    expect(new Set(etags.slice(1))).toEqual(new Set(['"2"']));
    expect(asked).toHaveLength(2);
  });

  it('for each different request', async () => {
    const { asked, answers } = setting();
    await answers.current(question, always);
    for (const more of [
      { unit: 'rx01' },
      { channel: '1' },
      { lookbackHours: 5 },
      { targetPoints: 5 },
      { source: 'x' },
    ]) {
      await answers.current({ ...question, ...more }, always);
    }
    expect(asked).toHaveLength(6);
  });
});

describe('an answer is not read', () => {
  it('not when all callers have gone, and when one has not', async () => {
    const { answers, time, release } = setting();
    time.isHeld = true;
    const [one, other] = [new AbortController(), new AbortController()];
    const shared = [answers.current(question, one.signal), answers.current(question, other.signal)];
    one.abort();
    release();
    await expect(Promise.all(shared)).resolves.toHaveLength(2);
    const alone = answers.current({ ...question, targetPoints: 1 }, one.signal);
    release();
    await expect(alone).rejects.toBe(one.signal.reason);
  });
});

describe('what is kept', () => {
  it('never exceeds its limit; what was not used for longest goes first', async () => {
    const { asked, answers, time } = setting(20_000);
    time.size = 4_000;
    for (const targetPoints of [1, 2, 3, 4, 1, 5]) await answers.current({ ...question, targetPoints }, always);
    expect(asked).toHaveLength(5);
    await answers.current({ ...question, targetPoints: 1 }, always);
    expect(asked).toHaveLength(5);
    await answers.current({ ...question, targetPoints: 2 }, always);
    expect(asked).toHaveLength(6);
    time.size = 4_600;
    for (const _ of [1, 2]) await answers.current({ ...question, targetPoints: 9 }, always);
    expect(asked).toHaveLength(8);
  });

  it('is limited also when many questions have next to no answer', async () => {
    const { asked, answers, time } = setting(20_000);
    time.size = 2;
    for (let targetPoints = 1; targetPoints <= 100; targetPoints += 1)
      await answers.current({ ...question, targetPoints }, always);
    await answers.current({ ...question, targetPoints: 1 }, always);
    expect(asked).toHaveLength(101);
  });
});
