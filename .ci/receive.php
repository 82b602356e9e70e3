<?php
// Writes down what PHP sees of a request, as one JSON line, and answers with the same.
function flat($value, string $name): array {
    if (!is_array($value)) return [['name' => $name, 'value' => $value]];
    $all = [];
    foreach ($value as $key => $one) {
        $all = array_merge($all, flat($one, $name === '' ? (string)$key : "{$name}[{$key}]"));
    }
    return $all;
}
function leaves($value): array {
    return is_array($value) ? array_merge(...array_values(array_map('leaves', $value)), ...[[]]) : [$value];
}
$files = [];
foreach ($_FILES as $field => $file) {
    $names = leaves($file['name']);
    $full = leaves($file['full_path']);
    $types = leaves($file['type']);
    $paths = leaves($file['tmp_name']);
    $errors = leaves($file['error']);
    $sizes = leaves($file['size']);
    foreach ($names as $i => $name) {
        $files[] = ['field' => (string)$field, 'name' => $name, 'type' => $types[$i], 'size' => $sizes[$i],
            'error' => $errors[$i], 'full_path' => $full[$i],
            'sha256' => $errors[$i] === 0 ? hash_file('sha256', $paths[$i]) : null];
    }
}
$headers = [];
foreach (getallheaders() as $name => $value) $headers[strtolower($name)] = $value;
$line = json_encode(['method' => $_SERVER['REQUEST_METHOD'], 'uri' => $_SERVER['REQUEST_URI'],
    'headers' => (object)$headers, 'fields' => flat($_POST, ''), 'files' => $files],
    JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE);
if (isset($_GET['delay_ms'])) usleep(1000 * (int)$_GET['delay_ms']);
file_put_contents(getenv('RECEIVED'), $line . "\n", FILE_APPEND | LOCK_EX);
http_response_code((int)($_GET['status'] ?? 200));
if (isset($_GET['retry_after'])) header('Retry-After: ' . $_GET['retry_after']);
header('Content-Type: application/json');
echo $line, "\n";
