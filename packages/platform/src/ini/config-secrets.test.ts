import { describe, expect, it } from 'vitest';
import { withHiddenSecrets, withKeptSecrets } from './config-secrets.ts';

const text = `# a comment
[mqtt]
username=browser
password = hunter2
  second line

[wifi]
passphrase: sesame
;old_password=before
# password: before
api_key=
[x]
password=one
password=two
tokens=5
`;

describe('secrets of a configuration file', () => {
  it('are hidden, those in comments and indented lines too', () => {
    expect(withHiddenSecrets(text)).toBe(`# a comment
[mqtt]
username=browser
password = ********

[wifi]
passphrase: ********
;old_password=********
# password: ********
api_key=
[x]
password=********
password=********
tokens=5
`);
  });

  it('come back when the text is saved as it was shown, or with other changes', () => {
    expect(withKeptSecrets(withHiddenSecrets(text), text)).toBe(text);
    const edited = withHiddenSecrets(text)
      .replace('username=browser', 'username=other')
      .replace('[wifi]', '[new]\na=1\n[wifi]');
    expect(withKeptSecrets(edited, text)).toBe(
      text.replace('username=browser', 'username=other').replace('[wifi]', '[new]\na=1\n[wifi]'),
    );
  });

  it('are replaced by what is written instead, and stay hidden where none was', () => {
    const shown = withHiddenSecrets(text);
    expect(withKeptSecrets(shown.replace('password = ********', 'password = new'), text)).toContain('password = new\n');
    expect(withKeptSecrets('[mqtt]\npassword=********\n', '')).toBe('[mqtt]\npassword=********\n');
    expect(withKeptSecrets('[other]\npassword=********\n', text)).toBe('[other]\npassword=********\n');
  });

  it('keep the ends of lines', () => {
    const dos = '[mqtt]\r\npassword=a\r\n b\r\n[x]\r\n';
    expect(withHiddenSecrets(dos)).toBe('[mqtt]\r\npassword=********\r\n[x]\r\n');
    expect(withKeptSecrets(withHiddenSecrets(dos), dos)).toBe(dos);
  });

  it('are found in a text that cannot be read', () => {
    expect(withHiddenSecrets('password=a\n[mqtt\npassword=b\n=c')).toBe(
      'password=********\n[mqtt\npassword=********\n=c',
    );
  });

  it('are found in little time, whatever the text', () => {
    const began = performance.now();
    for (const part of ['\n', ' ', 'password=a\n ', 'a=\n', 'password=\n', '=', '[a]\n'])
      withHiddenSecrets(part.repeat(Math.floor(130_000 / part.length)));
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
