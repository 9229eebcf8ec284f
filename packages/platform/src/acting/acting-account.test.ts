import { describe, expect, it } from 'vitest';
import { realClock } from '../clock/real-clock.ts';
import { actingAccount, onBehalfOf } from './acting-account.ts';
import { accountIn, actingHeaders } from './acting-header.ts';

describe('the account on whose behalf code runs', () => {
  it('reaches what the code awaits, and not what runs beside it', async () => {
    const clock = realClock();
    const names = await Promise.all(
      ['anna', null, 'ben'].map((name) =>
        onBehalfOf(name, async () => {
          await clock.sleep(1);
          return actingAccount();
        }),
      ),
    );
    expect(names).toEqual(['anna', null, 'ben']);
    expect(actingAccount()).toBeNull();
  });

  it('does not reach timers: what happens later, the node does by itself', async () => {
    const seen = Promise.withResolvers<string | null>();
    onBehalfOf('anna', () => realClock().after(1, () => seen.resolve(actingAccount())));
    expect(await seen.promise).toBeNull();
  });
});

describe('its header between nodes', () => {
  it('carries any name', () => {
    expect(onBehalfOf('Žofie 菌', () => accountIn(actingHeaders()['x-lcs-caller']))).toBe('Žofie 菌');
    expect(actingHeaders()).toEqual({});
  });

  it.each(['', '%', 'a%0Ab', `${'a'.repeat(300)}`])('ignores %j, which no leader sends', (header) => {
    expect(accountIn(header)).toBeUndefined();
  });
});
