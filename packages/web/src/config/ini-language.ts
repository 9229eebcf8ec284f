import { StreamLanguage } from '@codemirror/language';

/** The syntax of configuration files: sections, keys, values and lines of comments. */
export const iniLanguage = StreamLanguage.define<{ isValue: boolean }>({
  name: 'ini',
  startState: () => ({ isValue: false }),
  token(stream, state) {
    if (stream.sol()) {
      state.isValue = false;
      // An indented line continues the value above it.
      if (stream.eatSpace() && !stream.match(/^[#;]/, false)) state.isValue = true;
    }
    if (!state.isValue && stream.match(/^[#;].*/)) return 'comment';
    if (!state.isValue && stream.match(/^\[[^\]]*\]/)) return 'heading';
    if (!state.isValue && stream.match(/^[^=:]+/)) return 'propertyName';
    if (!state.isValue && stream.eat(/[=:]/)) {
      state.isValue = true;
      return 'operator';
    }
    stream.skipToEnd();
    return state.isValue ? 'string' : null;
  },
  languageData: { commentTokens: { line: '#' } },
});
