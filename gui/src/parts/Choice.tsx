// One of several values, or any. A value that is asked for but not among them any more is shown as what it is.

interface Props {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly shown?: (option: string) => string;
  readonly onChoose: (option: string) => void;
}

export function Choice({ label, value, options, shown = (option) => option, onChoose }: Props) {
  const all = value === "" || options.includes(value) ? options : [...options, value];
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => onChoose(event.target.value)}>
        <option value="">any</option>
        {all.map((option) => (
          <option key={option} value={option}>
            {shown(option)}
          </option>
        ))}
      </select>
    </label>
  );
}
