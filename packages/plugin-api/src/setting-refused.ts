/** New values that a job refuses; the message is one sentence for the person who requested them. */
export class SettingRefused extends Error {
  readonly setting: string;
  constructor(setting: string, message: string) {
    super(message);
    this.name = 'SettingRefused';
    this.setting = setting;
  }
}
