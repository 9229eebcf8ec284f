import { boardLines, heading, outputsOverlay, scopeEnd, unconditional } from './config-txt.ts';
import { configTxtPaths } from './read-facts.ts';

/** `/boot/firmware`, … */
const bootFolders = configTxtPaths.map((path) => path.slice(0, path.lastIndexOf('/')));

/** Names of overlays whose lines setup makes comments when it replaces the outputs. */
const replacedOverlays = ['pwm-2chan', 'pwm-gpio', outputsOverlay];

/** POSIX awk: the first text of the file, then the file; prints the file without what setup has written. */
const withoutOwnLines = `
  BEGIN {
    count = split("${[...boardLines, `dtoverlay=${outputsOverlay}`].join('|')}", lines, "|")
    for (i = 1; i <= count; i++) own[lines[i]]
  }
  { key = $0; sub(/\\r$/, "", key) }
  FILENAME == ARGV[1] { first[key]; next }
  # The empty line before the heading is one of setup.
  key == "${heading}" { empty = ""; isOwn = 1; split("", seen); next }
  isOwn {
    plain = key; sub(/^#/, "", plain)
    if (plain in own && !(plain in seen)) { seen[plain]; next }
    if (key == "${unconditional}" || key == "${scopeEnd}") { scope = scope $0 "\\n"; next }
    isOwn = 0
  }
  { printf "%s", empty; empty = "" }
  key == "" { empty = $0 "\\n"; next }
  # What somebody has written behind it holds for the computers that it holds for now.
  key !~ /^#/ { printf "%s", scope; scope = "" }
  key ~ /^#dtoverlay=(${replacedOverlays.join('|')})/ && !(key in first) && (substr(key, 2) in first) { sub(/^#/, "") }
  { print }
  END { printf "%s", empty }
`;

/**
 * For the script of a package that is purged (POSIX sh): removes what setup has written on the boot partition, and nothing of
 * anybody else. The programs of the package are gone then.
 *
 * @param root tests have the machine below a folder
 */
export const boardPurge = (
  root = '',
): string => `for boot in ${bootFolders.map((folder) => root + folder).join(' ')}; do
  config=$boot/config.txt
  first=$config.before-lcs
  if [ -e "$config" ] && grep -q '^${heading}' "$config"; then
    [ -e "$first" ] || first=/dev/null
    cp -p "$config" "$config.lcs-new"
    LC_ALL=C awk '${withoutOwnLines}' "$first" "$config" > "$config.lcs-new"
    # The same but for the end of the last line.
    if [ "$(tr -d '\\r' < "$config.lcs-new")" = "$(tr -d '\\r' < "$first")" ]; then cat "$first" > "$config.lcs-new"; fi
    sync "$config.lcs-new"
    mv -f "$config.lcs-new" "$config"
  fi
  rm -f "$config.before-lcs" "$boot/overlays/${outputsOverlay}.dtbo"
done
`;
