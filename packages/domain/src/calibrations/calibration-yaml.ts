import { stringify } from 'yaml';
import { readYaml, YamlError } from '../yaml/read-yaml.ts';
import { FileFields, InvalidCalibrationFile } from './file-fields.ts';

/** The name of the field `calibrated_on_reactor_unit` in files of a similar system. */
const foreignUnitField = 'calibrated_on_pioreactor_unit';

/** Several thousand points, much more than a calibration has. */
const maxCharacters = 65_536;

/** Parses the fields of a YAML text. Quoted numbers and timestamps are text. @throws InvalidCalibrationFile */
export function parseFileFields(text: string): FileFields {
  if (text.length > maxCharacters)
    throw new InvalidCalibrationFile('', `The text must have at most ${maxCharacters} characters.`);
  try {
    return new FileFields(readYaml(text).value);
  } catch (error) {
    if (error instanceof YamlError) throw new InvalidCalibrationFile('', error.message);
    throw error;
  }
}

/** The unit on which a calibration or estimator was made, in either spelling. */
export const calibratedUnit = (fields: FileFields): string =>
  fields.text(fields.has('calibrated_on_reactor_unit') ? 'calibrated_on_reactor_unit' : foreignUnitField);

/** The YAML of a calibration or estimator; the order of the fields stays. */
export const toYaml = (content: object): string => stringify(content, { lineWidth: 0, flowCollectionPadding: false });
