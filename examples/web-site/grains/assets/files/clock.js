document.getElementById("now").textContent = `It is ${new Date().toLocaleTimeString()} where you are.`;
