// A field for JSON that says at once what is wrong with it. Ctrl+Enter sends its form, as its button does.

interface Props {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly fault: string | null;
  readonly rows: number;
  readonly onChange: (text: string) => void;
}

export function JsonField({ id, label, value, fault, rows, onChange }: Props) {
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        spellCheck={false}
        value={value}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-fault`}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.querySelector<HTMLElement>("[type=submit]")?.click();
        }}
      />
      <p id={`${id}-fault`} aria-live="polite" className="fault">
        {fault ?? ""}
      </p>
    </>
  );
}
